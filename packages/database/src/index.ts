export { findKeeper, stopKeeper } from "./client/keeper-client.ts";
export { type Database, openDatabase, type Sql, type Transaction } from "./database.ts";
export { databaseCause, isConnectionLoss, sqlState } from "./errors.ts";
export { migrate, type MigrationSet } from "./migrate.ts";
export { type DatabaseOptions, defaultStoreDirectory } from "./options.ts";
export { forgetKeys } from "./transaction-keys.ts";
