import { FileText, X } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import { mostAttachedBytes } from './attachments.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { Attachment } from './attachments.ts';

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (key: string) => void;
}

export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <ul aria-label="Attachments" className="flex max-h-40 flex-wrap gap-2 overflow-y-auto">
        {attachments.map(({ key, name, sizeBytes, part }) => (
          <li
            key={key}
            className="flex items-center gap-2 rounded-lg border border-line bg-ground-soft p-1 text-xs"
          >
            {part.type === 'image' ? (
              <img
                src={`data:${part.mediaType};base64,${part.data}`}
                alt=""
                className="size-10 rounded object-cover"
              />
            ) : (
              <FileText size={20} aria-hidden />
            )}
            <span dir="auto" className="max-w-40 truncate">
              {visibleText(name)}
            </span>
            <span className="text-ink-faint">{sizeText(sizeBytes)}</span>
            <IconButton label={`Remove ${name}`} isSmall onClick={() => onRemove(key)}>
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <p className="text-xs text-ink-faint">
        {sizeText(attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))} of{' '}
        {sizeText(mostAttachedBytes)} attached. A reload keeps what you write, and not what you attach.
      </p>
    </div>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
