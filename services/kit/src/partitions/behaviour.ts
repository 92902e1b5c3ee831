import type { Position } from "../bus/follow.ts";

/** When the bus stored a fact, and its position (`saving.ts`). */
export type Arrival = StreamMark & { storedAtMs: number };
/** A position in a stream: all before it, or up to it, is known. */
export type StreamMark = { stream: string; mark: number };

/**
 * Changes an item's row and all that depends on it in one transaction. Resolves to the change in memory; to null if the
 * row is not what the decision assumed: another owner was first, or a user changed it. It is retried while PostgreSQL
 * is unavailable, so it must be idempotent.
 */
export type Commit = Promise<TakeOver | null>;
/** Takes into memory what was committed. */
export type TakeOver = () => void;

/** A fact whose decision changes the row of its item. */
export type ItemTransition<Item, Fact, Decision> = { item: Item; fact: Fact; decision: Decision; arrival: Arrival };

export type SavedState<Change> = {
  partition: number;
  /** How far the stream was read; null before the first message. */
  position: Position | null;
  changed: readonly Change[];
  /** What is kept from after this instant was kept before the clock was set back, and gives way. */
  nowMs: number;
};

export type PositionStore<Change> = {
  /** Keeps changes and position in one transaction. */
  save(saved: SavedState<Change>): Promise<void>;
  /** Up to this many changes are saved at each call, more of them only every `manyEveryMs`; absent: always all. */
  fewChanges?: number;
  /** Also of a position alone, where it is given; five seconds where absent. */
  manyEveryMs?: number;
};

/**
 * A service's decisions about the items of a partition (`Item`: a monitor, an agent) from the facts of its stream.
 * `Change` is the part of one that each save stores.
 */
export type Behaviour<
  Item extends { id: number },
  Fact,
  Decision extends { ignored?: never },
  Change,
> = PositionStore<Change> & {
  /** Who reads, for the dead letters. */
  service: string;
  stream: string;
  /** Those of the partition. A nats-server before 2.10 reads the first alone. */
  subjects: readonly string[];
  /** What a fact is called: result, sample. */
  factName: string;

  /** The facts of a message. @throws where it holds none */
  parse(bytes: Uint8Array): readonly Fact[];
  /** Why a fact that came on this subject belongs to the dead letters; null where it is good. */
  faultOf(fact: Fact, subject: string): string | null;
  idOf(fact: Fact): number;

  /** The rows of the partition, or these of it. */
  load(ids?: readonly number[]): Promise<Item[]>;
  /** Called before each save; a rejection puts it off. */
  beforeSave?(): Promise<void>;

  /** A row was read; what is known newer than it moves into it. `isFirst`: while the state is rebuilt. */
  onLoad(loaded: Item, known: Item | undefined, isFirst: boolean): void;
  onGone?(id: number): void;
  /** Moves instants in the future back to now: the clock was set back. */
  cap(item: Item): void;

  /** The fact refers to a later version of the row than the one loaded. */
  isOutdated?(item: Item, fact: Fact): boolean;
  /** What a fact does; `ignored`: why it changes nothing. Pure, and cheap: it runs for each fact. */
  decide(item: Item, fact: Fact, arrival: Arrival): Decision | { ignored: string };
  /** Whether a decision changes more than memory holds, so that it must be committed. */
  isTransition(item: Item, decision: Decision, arrival: Arrival): boolean;
  transition(item: Item, fact: Fact, decision: Decision, arrival: Arrival): Commit;
  /**
   * Commits those of a message together, each of another item, and resolves for each as `transition` does. Absent: each
   * by itself.
   */
  transitions?(all: readonly ItemTransition<Item, Fact, Decision>[]): Promise<readonly (TakeOver | null)[]>;
  /** Takes a fact into memory; `committed`: after a transition. */
  take(item: Item, fact: Fact, decision: Decision, committed: boolean): void;
  ignore(fact: Fact, reason: string, arrival: Arrival): void;

  /** Where the last owner was; absent: as the table `positions` has it. */
  readPosition?(): Promise<Position | null>;
  /** A message was stored then; called after `passed`, before its facts. */
  heard?(storedAtMs: number): void;
  /**
   * In the place of `isSilent`, which is asked of all: those whose time came by an instant of the bus's clock. Asked before the
   * facts of each message (`arrived`), and each second once all were read. `tellSilent` is to give them another time.
   */
  passed?(busMs: number, arrived: boolean): readonly Item[];

  /** Whether no fact arrived within its timeout, counting those since the instant. */
  isSilent(item: Item, sinceMs: number): boolean;
  /**
   * Marks these as silent, in one transaction, and resolves for each as `transition` does. `read`: the stream is known
   * up to there; null before the first fact.
   */
  tellSilent(items: readonly Item[], read: StreamMark | null): Promise<readonly (TakeOver | null)[]>;
  /** Whether facts can reach the stream at all; absent: while the bus is connected. */
  canHear?(): boolean;
};
