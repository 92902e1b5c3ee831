import { AppError } from "@sonde/kit/errors";

/** A part of a response; null while its service is unavailable. @throws other errors */
export async function orNull<Part>(part: Promise<Part>): Promise<Part | null> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}
