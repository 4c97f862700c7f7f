/* Figures as people read them. */

export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
export const counted = (number) => number.toLocaleString("en");
