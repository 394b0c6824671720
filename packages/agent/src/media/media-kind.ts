export type MediaKind = 'image' | 'audio' | 'video' | 'file';

const kinds: ReadonlyMap<string, MediaKind> = new Map([
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
]);

/** What a model would have to be able to take, by media type. */
export function mediaKind(mediaType: string): MediaKind {
  return kinds.get(mediaType.slice(0, mediaType.indexOf('/')).toLowerCase()) ?? 'file';
}
