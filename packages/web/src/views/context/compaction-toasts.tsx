import { formatTokens } from '../../parts/format.ts';
import { reasonWords, savedPercent } from './compaction-words.ts';
import { toast } from '../../parts/popups/toast.ts';
import { useCompactionNews } from '../../data/context/compaction-news.ts';

/** One at a time: a small window is compacted every few seconds. */
const key = 'compaction';

/** Says what became of a compaction of this session. */
export function CompactionToasts({ sessionId }: { readonly sessionId: string }) {
  useCompactionNews(sessionId, (news) => {
    if (news.type === 'cancelled') {
      toast('The compaction was cancelled', { key, detail: 'Nothing has changed.' });
      return;
    }
    const { originalTokens, compressedTokens, reason } = news.data;
    toast(`Context compacted: ${savedPercent(originalTokens, compressedTokens)} % saved`, {
      key,
      detail: `${formatTokens(originalTokens)} tokens became ${formatTokens(compressedTokens)}; ${reasonWords[reason]}.`,
    });
  });
  return null;
}
