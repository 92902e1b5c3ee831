import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { errorText, type Fallback } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { useAcknowledgeMutation, useTakeBackAcknowledgementMutation } from "../../entities/incidents/api.ts";
import { paths } from "../../app/paths.ts";
import { type SilenceTarget, useEndSilenceMutation, useSilenceMutation } from "../../entities/silences/api.ts";
import { endsFrom } from "../../entities/silences/ends.ts";
import { requestSilence } from "../../entities/silences/request.ts";
import { useUndo } from "../../app/undo.ts";
import { toast } from "../../ui/alert.tsx";
import { isPassive } from "../../ui/health/schedule.ts";
import { CheckIcon, PauseIcon, PlayIcon, RefreshIcon, SilentIcon } from "../../ui/icons.tsx";
import { useCheckFromPaletteMutation, useSwitchFromPaletteMutation } from "./api.ts";
import { type PaletteCommand, pressOn } from "./commands.tsx";

export function useTargetActions() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const offerUndo = useUndo();
  const [acknowledge] = useAcknowledgeMutation();
  const [takeBack] = useTakeBackAcknowledgementMutation();
  const [switchMonitor] = useSwitchFromPaletteMutation();
  const [check] = useCheckFromPaletteMutation();
  const [silence] = useSilenceMutation();
  const [endSilence] = useEndSilenceMutation();
  const fail = (error: unknown, fallback: Fallback) => toast("error", errorText(error, fallback));

  async function switchTo(id: number, name: string, action: "pause" | "resume") {
    const { error } = await switchMonitor({ id, action });
    if (error !== undefined) return fail(error, "updateMonitor");
    const inverse = action === "pause" ? "resume" : "pause";
    offerUndo(t(`palette.did.${action}`, { name }), () => switchMonitor({ id, action: inverse }), "updateMonitor");
  }
  async function checkNow(id: number, name: string) {
    toast("info", t("palette.did.checking", { name }));
    const { error, data } = await check(id);
    if (error !== undefined) return fail(error, "checkFailed");
    const isUp = data.result.status === "up";
    toast(isUp ? "success" : "error", t(isUp ? "palette.did.up" : "palette.did.down", { name }));
  }
  async function acknowledgeNow({ id }: Incident) {
    const { error } = await acknowledge({ id });
    if (error !== undefined) return fail(error, "acknowledge");
    offerUndo(t("incidents.acknowledgedNow"), () => takeBack({ id }), "takeBackAcknowledgement");
  }
  function silenceFor(target: SilenceTarget, name: string): PaletteCommand[] {
    if (!mayChange) return [];
    const quick = endsFrom(Date.now()).map(({ name: endName, end }) => ({
      id: `silence ${endName} ${name}`,
      icon: <SilentIcon />,
      label: t("palette.silenceFor", { end: t(`quiet.span.${endName}`) }),
      async run() {
        const { error, data } = await silence({ target, ...end });
        if (error !== undefined) return fail(error, "silence");
        const words = t("quiet.silenced", { name, end: t(`quiet.span.${endName}`) });
        offerUndo(words, () => endSilence(data.silence.id), "endSilence");
      },
    }));
    const run = () => requestSilence({ target, name });
    return [...quick, { id: `silence other ${name}`, icon: <SilentIcon />, label: t("quiet.otherSilence"), run }];
  }
  return {
    silence: silenceFor,
    ofMonitor(monitor: Pick<Monitor, "id" | "name" | "type" | "paused" | "status">): PaletteCommand[] {
      const { id, name, type, paused, status } = monitor;
      if (!mayChange) return [];
      const action = paused ? "resume" : "pause";
      // Pausing closes an open incident permanently, so the monitor's page asks for confirmation.
      const isAsked = status === "down";
      function switchOnPage() {
        void navigate(paths.monitor(id));
        pressOn(paths.monitor(id), "P");
      }
      return [
        ...(isPassive(type)
          ? []
          : [
              {
                id: `check ${id}`,
                icon: <RefreshIcon />,
                label: t("palette.verbs.check"),
                run: () => void checkNow(id, name),
              },
            ]),
        {
          id: `${action} ${id}`,
          icon: paused ? <PlayIcon /> : <PauseIcon />,
          label: t(`palette.verbs.${action}`),
          run: () => (isAsked ? switchOnPage() : void switchTo(id, name, action)),
        },
        ...silenceFor({ type: "monitor", id }, name),
      ];
    },
    ofIncident(incident: Incident): PaletteCommand[] {
      const { id, target, closedAt, acknowledgedAt } = incident;
      if (!mayChange || closedAt !== undefined) return [];
      return [
        ...(acknowledgedAt === undefined
          ? [
              {
                id: `acknowledge ${id}`,
                icon: <CheckIcon />,
                label: t("palette.verbs.acknowledge"),
                run: () => void acknowledgeNow(incident),
              },
            ]
          : []),
        ...silenceFor({ type: target.type, id: target.id }, target.name),
      ];
    },
  };
}
