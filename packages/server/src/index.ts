export { createServer } from './app/create-server.ts';
export type { RunningServer, ServerAddress } from './app/create-server.ts';
export type { AccessToken, ServerLimits, ServerOptions } from './server-options.ts';
export { curlLines } from './routes/landing-routes.ts';
export { openSession } from './services.ts';
export type { Caller, Models, Services } from './services.ts';
export { serveAcp } from './acp/serve-acp.ts';
export type { AcpPlace, AcpPlaces, PlaceNotice } from './acp/acp-places.ts';
