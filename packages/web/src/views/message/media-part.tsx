import { FileText } from 'lucide-react';
import { isPicture, useMediaUrl } from '../../data/session/session-parts.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { MediaPart as Media } from '../../data/types.ts';

interface MediaPartProps {
  readonly sessionId: string;
  readonly media: Media;
}

/** An image in a box of a size of its own, so that nothing moves when it is there; a file to save. */
export function MediaPart({ sessionId, media }: MediaPartProps) {
  const { mediaType, source, filename } = media;
  const url = useMediaUrl(sessionId, {
    mediaType,
    ...(source.type === 'base64' ? { data: source.data } : { url: source.url }),
  });
  const name = visibleText(filename ?? mediaType);
  if (url.state === 'failed')
    return (
      <p dir="auto" className="text-sm text-ink-soft">
        [{name}: {url.failure.detail}]
      </p>
    );
  if (isPicture(mediaType))
    return (
      <div className="flex h-60 w-80 max-w-full items-center justify-center rounded-lg border border-line bg-ground-soft">
        {url.state === 'ready' && (
          <a
            href={url.value}
            target="_blank"
            rel="noopener"
            title="Open it in its own size"
            className="contents"
          >
            <img src={url.value} alt={filename ?? 'Image'} className="max-h-full max-w-full" />
          </a>
        )}
      </div>
    );
  return (
    <a
      href={url.state === 'ready' ? url.value : undefined}
      download={filename ?? 'file'}
      className="inline-flex items-center gap-2 rounded-lg border border-line px-3 py-2 text-sm"
    >
      <FileText size={16} aria-hidden />
      <span dir="auto">{name}</span>
    </a>
  );
}
