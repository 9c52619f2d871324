/** What an edit needs to know beside the document. */
export interface EditContext {
  readonly label: string;
  readonly now: Date;
}
