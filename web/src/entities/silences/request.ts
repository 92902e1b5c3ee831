import { showOverlay } from "../../app/keyboard/keys.ts";
import type { SilenceTarget } from "./api.ts";

export type NamedSilenceTarget = { target: SilenceTarget; name: string };

let asked: NamedSilenceTarget | null = null;

/** Opens the dialog for a new silence, of a target or of one to choose. */
export function askSilence(target: NamedSilenceTarget | null = null): void {
  asked = target;
  showOverlay("silence");
}

export const askedSilence = (): NamedSilenceTarget | null => asked;
