/**
 * Keeps the halves of a character together that a server has split over two pieces of a text: a piece that ends in the
 * middle of one waits with its last half for the next piece of the same text.
 */
export class SurrogateJoiner {
  private readonly halves = new Map<string, string>();

  /** The piece with the half that waited for it, without the half that has to wait. */
  join(id: string, piece: string): string {
    if (piece === '') return piece;
    const text = (this.halves.get(id) ?? '') + piece;
    const isSplit = /[\uD800-\uDBFF]$/.test(text.slice(-1));
    if (isSplit) this.halves.set(id, text.slice(-1));
    else this.halves.delete(id);
    return (isSplit ? text.slice(0, -1) : text).toWellFormed();
  }

  /** The half that waited in vain, as the character that stands for a broken one. */
  rest(id: string): string {
    const half = this.halves.get(id);
    this.halves.delete(id);
    return half === undefined ? '' : half.toWellFormed();
  }
}
