export type { Proxy } from './proxy.ts';
export { createProxyRoutes } from './proxy-routes.ts';
export type { ProxyRoutes } from './proxy-routes.ts';
export type {
  ModelEndpoint,
  OverflowSaid,
  ProxyLog,
  ProxyOptions,
  ProxyRoute,
  CallerQuota,
  ProxyServices,
  RoutePolicy,
  StatedLimits,
} from './options/proxy-options.ts';
