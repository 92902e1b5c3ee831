import { errors } from "../errors.ts";
import { monitorList } from "../monitor-list.ts";
import { cells, managed, monitors } from "../monitors.ts";

import type { listWords as en } from "../../en-US/parts/list.ts";
import type { Translated } from "../../catalogue.ts";

/** What the list of monitors says beyond the frame, in Chinese. */
export const listWords: Translated<typeof en> = { cells, errors, managed, monitorList, monitors };
