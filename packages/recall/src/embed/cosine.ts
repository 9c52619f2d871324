/** Similarity of two vectors of equal length, -1 to 1; 0 when one is empty. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let ofA = 0;
  let ofB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] as number;
    const y = b[i] as number;
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : dot / Math.sqrt(ofA * ofB);
}
