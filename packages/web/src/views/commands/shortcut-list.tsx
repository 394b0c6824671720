import { Dialog } from '../../parts/popups/dialog.tsx';
import { isMac, keyLabels, shortcuts } from './shortcuts.ts';
import { useSingleKeys } from './single-keys.ts';

const places = [...new Set(shortcuts.map(({ where }) => where))];

/** The table of all keys. */
export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const [allows, choose] = useSingleKeys();
  return (
    <Dialog isOpen onClose={onClose} title="Keys of this page">
      <div className="flex flex-col gap-4 text-sm">
        {places.map((place) => (
          <section key={place} aria-label={place}>
            <h3 className="pb-1 text-xs font-semibold text-ink-soft">{place}</h3>
            <dl className="grid grid-cols-[1fr_max-content] gap-x-4 gap-y-1">
              {shortcuts
                .filter(({ where }) => where === place)
                .map(({ keys, does }) => (
                  <div key={does} className="contents">
                    <dt>{does}</dt>
                    <dd className="text-right">
                      {keys.map((combination, at) => (
                        <span key={combination}>
                          {at > 0 && <span className="px-1 text-ink-faint">or</span>}
                          <Keys combination={combination} />
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={allows} onChange={({ target }) => choose(target.checked)} />A single
          character, as <Keys combination="?" />, is a key, too
        </label>
      </div>
    </Dialog>
  );
}

export function Keys({ combination }: { readonly combination: string }) {
  return keyLabels(combination, isMac).map((label) => (
    <kbd
      key={label}
      className="ml-0.5 rounded border border-line bg-ground-soft px-1.5 py-0.5 font-sans text-xs text-ink-soft"
    >
      {label}
    </kbd>
  ));
}
