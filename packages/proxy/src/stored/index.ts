// What is stored of proxied conversations, for people: nothing of what proxies is loaded with it.
export { storedConversations } from './stored-conversations.ts';
export type { StoredConversations } from './stored-conversations.ts';
