import type { Check, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { ReactNode } from "react";

type AnySummary = { Summary(props: { check: Check }): ReactNode };

/** What each `summaries/<kind>.tsx` exports as `Summary`, by its path. Apart from the forms, which the page of a monitor does without. */
const files = import.meta.glob<AnySummary>("./summaries/*.tsx", { eager: true });

/** How a check of a kind is shown; given checks of that kind alone. */
export const summaryOf = (type: CheckType): AnySummary => files[`./summaries/${type}.tsx`] as AnySummary;
