/** What a user sent, as the inbox stores it: parts of a message, their bytes kept beside. Plain JSON. */
export type StoredContent = { readonly parts: readonly StoredContentPart[] };

export type StoredContentPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'media';
      readonly mediaType: string;
      /** `@blob:` with the hash of the bytes. */
      readonly source: { readonly type: 'url'; readonly url: string };
      readonly filename?: string;
    };
