const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;
const nearby =
  /^(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|0\.0\.0\.0|[^.:]+|\[f[cde][0-9a-f:]+\]|.+\.(local|lan|internal|home\.arpa))$/i;

/** Only programs on the same machine reach it. */
export const isLoopback = (host: string): boolean => loopback.test(host);

/** A host of one's own: the same machine, or one in the same house. */
export const isLocalHost = (host: string): boolean => isLoopback(host) || nearby.test(host);
