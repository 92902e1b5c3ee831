import { AppError } from "@sonde/kit/errors";

/** A part of an answer; null while its service is away. @throws what else went wrong */
export async function orNull<Part>(part: Promise<Part>): Promise<Part | null> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}
