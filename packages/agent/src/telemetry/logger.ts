/** What a line says beside its message: plain data, and never the content of a message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where structured lines go; a pino logger is one. It must not throw. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
}
