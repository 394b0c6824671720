/** A message to send, and where it comes from. */
export interface RenderedMessage<Message> {
  /**
   * `entry`: a message of the history, as it is or edited. `written`: the engine wrote it. `note`: dynamic context, of
   * this request only.
   */
  readonly source: 'entry' | 'written' | 'note';
  /** Of a history message. */
  readonly ordinal?: number;
  /** False: `message` is the very object that was handed in. */
  readonly isEdited: boolean;
  readonly message: Message;
}
