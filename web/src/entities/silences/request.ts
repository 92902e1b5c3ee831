import { showOverlay } from "../../app/keyboard/keys.ts";
import type { SilenceTarget } from "./api.ts";

export type NamedSilenceTarget = { target: SilenceTarget; name: string };

let requested: NamedSilenceTarget | null = null;

/** Opens the dialog for a new silence, of a target or of one to choose. */
export function requestSilence(target: NamedSilenceTarget | null = null): void {
  requested = target;
  showOverlay("silence");
}

export const requestedSilence = (): NamedSilenceTarget | null => requested;
