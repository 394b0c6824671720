import { idText, wholeNumber } from '../schemas/define.ts';
import { z } from 'zod';
import type { ProblemCode } from '../problems.ts';

/** What a status carries: JSON of this schema, or something else of this media type. */
export type AnswerSchema = z.ZodType | { readonly mediaType: string; readonly about: string };

/** One route of the API: what validates it, types its client, and describes it to people. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With `:id` for what is part of the address. */
  readonly path: string;
  /** Heading it stands under. */
  readonly group: string;
  /** A sentence. */
  readonly summary: string;
  /** More sentences, where one is not enough. */
  readonly about?: string;
  /** Parts of the address. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Nothing is the same as `{}`. @default false */
  readonly isBodyOptional?: boolean;
  /** A body that is no JSON: its media types. */
  readonly rawBody?: readonly string[];
  /** With `Accept: text/event-stream` the answer is a stream of events. */
  readonly canStream?: true;
  readonly answers: Readonly<Record<number, AnswerSchema>>;
  /** What can go wrong beside what can with every route. */
  readonly problems?: readonly ProblemCode[];
  /** It is served by a part of the server of its own, and stands here to be known. */
  readonly isServedApart?: true;
}

export const sessionParams = z.strictObject({ id: idText.describe('Of the session.') });

/** The query of a list that is read in parts. */
export const pageQuery = z.strictObject({
  cursor: z.string().min(1).max(1_000).exactOptional().describe('`next` of the page before.'),
  limit: wholeNumber(1, 200).exactOptional().describe('Most items of a page; 50 unless it is said.'),
});
