export { findKeeper, stopKeeper } from "./client/keeper-client.ts";
export { type Database, openDatabase, type QueryResult, type Sql, type Transaction } from "./database.ts";
export { databaseCause, isCollision, isConnectionLoss, sqlState, toIkigaiError } from "./errors.ts";
export type { Hints } from "./listen.ts";
export { migrate, type Migration, type MigrationSet } from "./migrate.ts";
export { type DatabaseOptions, defaultStoreDirectory, type EmbeddedOptions, type ServerOptions } from "./options.ts";
export type { DatabaseStatus } from "./status.ts";
export { forgetKeys } from "./transaction-keys.ts";
export type { TransactionOptions } from "./transaction.ts";
