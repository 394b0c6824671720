/** Whether the server is there, as the page's own stream of events sees it. */
export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  | { readonly state: 'lost'; readonly sinceMs: number }
  /** The server wants a token, or another one. */
  | { readonly state: 'locked' };
