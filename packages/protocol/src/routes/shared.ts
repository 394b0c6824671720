import { idText, wholeNumber } from '../schemas/define.ts';
import { z } from 'zod';

export const sessionParams = z.strictObject({ id: idText.describe('Of the session.') });

/** Of a list that is read in parts. */
export const pageQuery = z.strictObject({
  cursor: z.string().min(1).max(1_000).exactOptional().describe('`next` of the page before.'),
  limit: wholeNumber(1, 200).exactOptional().describe('Most items of a page; 50 unless it is said.'),
});
