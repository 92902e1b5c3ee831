import {
  type AnnouncementInput,
  announcementInput,
  announcementPatch,
  announcementUpdateInput,
  type Announcement,
} from "@sonde/proto/http/status/announcements";
import type { Impact, UpdateState } from "@sonde/proto/http/status/status";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { faultsIn, type FormFault } from "../../../lib/form-faults.ts";

export type DetailValues = { title: string; impact: Impact; targets: TargetRef[] };
export type UpdateValues = { state: UpdateState; text: string };
export type NewValues = DetailValues & UpdateValues;

// Spelled here once more, checked against the contract: a list of choices needs no zod.
export const impacts = ["minor", "major", "critical"] as const satisfies readonly Impact[];
export const updateStates = [
  "investigating",
  "identified",
  "monitoring",
  "resolved",
] as const satisfies readonly UpdateState[];

export const toDetails = ({ title, impact, monitors, agents }: Announcement): DetailValues => ({
  title,
  impact,
  targets: [
    ...monitors.map((id) => ({ type: "monitor" as const, id })),
    ...agents.map((id) => ({ type: "agent" as const, id })),
  ],
});

const idsOf = (targets: readonly TargetRef[], type: TargetRef["type"]) =>
  targets.filter((target) => target.type === type).map(({ id }) => id);

export const detailsInput = ({ title, impact, targets }: DetailValues) => ({
  title: title.trim(),
  impact,
  monitors: idsOf(targets, "monitor"),
  agents: idsOf(targets, "agent"),
});

export const newInput = (values: NewValues, incidentId: string | null): AnnouncementInput => ({
  ...detailsInput(values),
  ...(incidentId === null ? {} : { incidentId }),
  state: values.state,
  text: values.text,
});

/** The field of an input's path; both lists of ids are one field. */
export function fieldOf(path: string): string {
  const [field = ""] = path.split(".");
  return field === "monitors" || field === "agents" ? "targets" : field;
}
const atField = <Fault extends { path: string }>(fault: Fault): Fault => ({ ...fault, path: fieldOf(fault.path) });

export const checkDetails = (values: DetailValues): FormFault[] =>
  faultsIn(announcementPatch, detailsInput(values)).map(atField);
export const checkUpdate = (values: UpdateValues): FormFault[] => faultsIn(announcementUpdateInput, values);
export const checkNew = (values: NewValues): FormFault[] => [
  ...faultsIn(announcementInput, newInput(values, null)).map(atField),
  // The first thing that readers see is what is known.
  ...checkUpdate({ state: values.state, text: values.text }),
];
export const checkPostMortem = ({ postMortem }: { postMortem: string }): FormFault[] =>
  faultsIn(announcementPatch, { postMortem });
