/** A number of bytes for people and models: two or three digits are enough. */
export function sizeText(bytes: number): string {
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes >= 1e3 ? `${Math.round(bytes / 1e3)} kB` : `${bytes} bytes`;
}
