import { errors } from "../errors.ts";
import { monitorList } from "../monitor-list.ts";
import { cells, managed, monitors } from "../monitors.ts";

/** What the list of monitors says beyond the frame. It travels beside that page; the rest comes with the other screens. */
export const listWords = { cells, errors, managed, monitorList, monitors } as const;
