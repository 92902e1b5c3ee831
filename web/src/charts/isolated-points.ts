/** Points with gaps on both sides: a line would not show them. */
export function isolatedPoints<Point extends { readonly data: { readonly y: unknown } }>(points: readonly Point[]) {
  const isGap = (index: number) => points[index]?.data.y == null;
  return points.filter((_, index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}
