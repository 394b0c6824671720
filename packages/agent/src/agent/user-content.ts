/** A piece of what a user sends. `data` is base64. */
export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly data: string;
      readonly mediaType: string;
      readonly filename?: string;
    }
  | {
      readonly type: 'file';
      readonly data: string;
      readonly mediaType: string;
      readonly filename?: string;
    };

/** What a user sends: a text, or texts, images and files in their order. */
export type UserContent = string | readonly UserPart[];
