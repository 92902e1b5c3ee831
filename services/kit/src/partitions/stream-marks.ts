/**
 * Where a fact lies in its stream, as one number that rises with every fact: the message's sequence, and the fact's
 * index within the message. Unlike an instant it never goes back, whatever clocks do.
 */
export const markOf = (sequence: number, index: number): number =>
  sequence * factsAMessage + Math.min(index, factsAMessage - 1);

/** The mark behind every fact of a message. */
export const endOf = (sequence: number): number => markOf(sequence, factsAMessage - 1);

const factsAMessage = 10_000;
