export { checkVault, type CheckedLink, type CheckVaultOptions } from "./check/check-vault.ts";
export { scanNote, type NoteScan } from "./note/scan-note.ts";
