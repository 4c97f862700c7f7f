/* Figures as people read them. */

/* With its sign, unless nothing is left of it. */
export function signed(value) {
  const size = Math.abs(value).toFixed(2);
  return Number(size) ? `${value < 0 ? "−" : "+"}${size}` : size;
}
export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;
export const counted = (number) => number.toLocaleString("en");
