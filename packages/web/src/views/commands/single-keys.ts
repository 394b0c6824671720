import { useSyncExternalStore } from 'react';
import { watchable } from '../../data/watchable.ts';

const key = 'throughline.single-keys';
const allowed = watchable(localStorage.getItem(key) !== 'off');

/** Whether keys without Control do something: who speaks to the machine, or hits keys by chance, turns them off. */
export function allowsSingleKeys(): boolean {
  return allowed.get();
}

export function useSingleKeys(): readonly [boolean, (allows: boolean) => void] {
  const allows = useSyncExternalStore(allowed.subscribe, allowed.get);
  const choose = (next: boolean): void => {
    allowed.set(next);
    if (next) localStorage.removeItem(key);
    else localStorage.setItem(key, 'off');
  };
  return [allows, choose];
}
