/** A piece of the executable that is written: new bytes, or a range of the base. */
export type FilePart = Buffer | { from: number; to: number };

/** Reads a small piece of the base. */
export type ReadPiece = (from: number, bytes: number) => Buffer;

/** The parts of `base` with `blob` where Node looks for it. @throws Error if the file is not laid out as expected */
export type Format = (read: ReadPiece, blob: Buffer) => FilePart[];

export const blobName = "NODE_SEA_BLOB";

export const alignUp = (value: number, to: number): number => Math.ceil(value / to) * to;

/** `data`, and zeros up to a multiple of `to`. */
export const padded = (data: Buffer, to: number): Buffer => Buffer.concat([data], alignUp(data.length, to));
