import { FileText, X } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import type { Attachment } from './use-attachments.ts';

export interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (key: string) => void;
}

export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2">
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
            {name}
          </span>
          <span className="text-ink-faint">{sizeText(sizeBytes)}</span>
          <IconButton label={`Remove ${name}`} isSmall onClick={() => onRemove(key)}>
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
