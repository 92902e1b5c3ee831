/** New bytes, or a range of the base. */
export type FilePart = Buffer | { from: number; to: number };

export type ReadPiece = (from: number, bytes: number) => Buffer;

/**
 * Returns the parts of `base` with `blob` where Node looks for it. @throws Error if the file has an unexpected layout
 */
export type Format = (read: ReadPiece, blob: Buffer) => FilePart[];

export const blobName = "NODE_SEA_BLOB";

export const alignUp = (value: number, to: number): number => Math.ceil(value / to) * to;

/** Pads with zeros to a multiple of `to`. */
export const padded = (data: Buffer, to: number): Buffer => Buffer.concat([data], alignUp(data.length, to));
