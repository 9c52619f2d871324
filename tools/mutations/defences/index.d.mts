import type { Defence } from "../defence.d.mts";

export declare const defences: readonly Defence[];
