/**
 * The value with every half character replaced, which a server would refuse when it comes back; the same object where
 * there is none. Looks into plain objects and lists only.
 */
export function wellFormed<Value>(value: Value): Value {
  return repaired(value) as Value;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, item, repaired(item)] as const);
  if (entries.every(([name, item, better]) => item === better && name.isWellFormed())) return value;
  return Object.fromEntries(entries.map(([name, , better]) => [name.toWellFormed(), better]));
}
