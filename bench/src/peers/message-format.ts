import type { ModelMessage } from './model-message.ts';

/** Both ways between the AI SDK's messages and a peer's own; what the peer leaves alone comes back as the same object. */
export interface MessageFormat<Own> {
  readonly toPeer: (message: ModelMessage) => Own;
  readonly fromPeer: (message: Own) => ModelMessage;
}

/** `make` writes a message for the peer, `read` reads one that the peer has made itself; each object is read once. */
export function createMessageFormat<Own extends object>(
  make: (message: ModelMessage) => Own,
  read: (own: Own) => ModelMessage,
): MessageFormat<Own> {
  const known = new WeakMap<Own, ModelMessage>();
  return {
    toPeer: (message) => {
      const made = make(message);
      known.set(made, message);
      return made;
    },
    fromPeer: (own) => {
      const found = known.get(own) ?? read(own);
      known.set(own, found);
      return found;
    },
  };
}
