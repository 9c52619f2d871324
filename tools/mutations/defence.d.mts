/** A few lines of the product that keep a promise, and the test that fails without them. */
export interface Defence {
  /** The promise, as a sentence. */
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly old: string;
  /** What stands there in the patched copy. */
  readonly new: string;
  /** The file of the test. */
  readonly test: string;
  /** A part of the title, or several with | between. Absent: any test of the file. */
  readonly title?: string;
}
