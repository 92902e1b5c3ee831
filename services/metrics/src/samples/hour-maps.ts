/** Minutes of an hour, a bit each: the first thirty from the lowest bit up, and the other thirty. */
export type HourMap = { low: number; high: number };

const halfBits = 30;
const half = 2 ** halfBits - 1;

export const fullHour: HourMap = { low: half, high: half };
export const isFull = ({ low, high }: HourMap) => low === half && high === half;

/** Whether the map holds a minute, 0 to 59. */
export function isInMap({ low, high }: HourMap, minute: number): boolean {
  return (((minute < halfBits ? low : high) >>> (minute % halfBits)) & 1) === 1;
}

/** The map of all 60 bits, as SQL over a row's instant. */
export const mapSql = (at: string) => `groupBitOr(bitShiftLeft(toUInt64(1), toMinute(${at})))`;
/** Its halves, of a column of 64 bits: numbers that JSON holds exactly. */
export const lowSql = (map: string) => `toUInt32(bitAnd(${map}, ${half}))`;
export const highSql = (map: string) => `toUInt32(bitShiftRight(${map}, ${halfBits}))`;
export const isFullSql = (map: string) => `${map} = ${2n ** BigInt(2 * halfBits) - 1n}`;
