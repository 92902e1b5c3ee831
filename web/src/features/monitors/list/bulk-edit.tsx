import type { bulkInput } from "@sonde/proto/http/monitors/lists";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { MonitorSettings } from "@sonde/proto/http/notifications/settings";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { errorText } from "../../../app/errors.ts";
import { type UndoCall, useUndo } from "../../../app/undo.ts";
import { useLocationsQuery } from "../../../app/locations.tsx";
import { useChannelsInForceQuery, useSettingsInForceQuery } from "../../../entities/notifications/api.ts";
import { parseDuration, readTags } from "../../../lib/typed.ts";
import { toggled } from "../../../lists/selection.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { Checkbox, Input } from "../../../ui/inputs.tsx";
import { useBulkMonitorsMutation, useResetMonitorSettingsMutation, useSaveMonitorSettingsMutation } from "../api.ts";
import { type BulkFailure, useFailureText } from "../bulk-failures.ts";
import type { BulkTargets } from "../pause.tsx";
import { inParallel } from "./bulk-silence.tsx";

type BulkEditProps = {
  targets: BulkTargets;
  /** Names for failures. */
  monitors: readonly Monitor[];
  count: number;
  onClose: () => void;
  onChanged: (ids: readonly number[], failure: string | null) => void;
};

type Changes = NonNullable<z.input<typeof bulkInput>["changes"]>;
const none: ReadonlySet<never> = new Set<never>();

/** Edits tags, interval, locations and channels of many monitors. Empty fields change nothing. */
export default function BulkEdit({ targets, monitors, count, onClose, onChanged }: BulkEditProps) {
  const { t } = useTranslation();
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const [interval, setInterval] = useState("");
  const [locations, setLocations] = useState<ReadonlySet<string>>(none);
  const [channels, setChannels] = useState<ReadonlySet<number>>(none);
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const offerUndo = useUndo();
  const failureText = useFailureText();
  const [run] = useBulkMonitorsMutation();
  const saveChannels = useSaveChannels(monitors);
  const offered = (useLocationsQuery().data?.locations ?? []).filter(({ runners }) => runners > 0);
  const known = useChannelsInForceQuery().data ?? [];
  // Channels can be set only by id.
  const ids = "ids" in targets ? targets.ids : null;

  const seconds = interval.trim() === "" ? undefined : (parseDuration(interval, "m") ?? NaN);
  const badInterval = Number.isNaN(seconds) ? t("monitorBulk.badInterval") : undefined;
  const changes: Changes = {
    ...(readTags(add).length > 0 && { addTags: readTags(add) }),
    ...(readTags(remove).length > 0 && { removeTags: readTags(remove) }),
    ...(seconds !== undefined && { interval: seconds / 60 }),
    ...(locations.size > 0 && { locations: [...locations] }),
  };
  const hasChanges = Object.keys(changes).length > 0;

  async function save() {
    const failures: BulkFailure[] = [];
    const undos: UndoCall[] = [];
    let done: readonly number[] = ids ?? [];
    if (hasChanges) {
      const { data, error: refusal } = await run({ ...targets, action: "edit", changes });
      if (data === undefined) return setError(errorText(refusal, "updateMonitor"));
      ({ done } = data);
      undos.push(...(data.undo ?? []).map((each) => () => run({ ...each, action: "edit" })));
      failures.push(...data.failed);
    }
    if (channels.size > 0) {
      const saved = await saveChannels(done, [...channels]);
      undos.push(...saved.undos);
      failures.push(...saved.failures);
    }
    offerUndo(t("monitors.bulk.edited", { count: done.length }), undos, "updateMonitor");
    onChanged(done, failureText(failures));
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    if (saving || badInterval !== undefined) return;
    setSaving(true);
    setError(null);
    void save().finally(() => setSaving(false));
  }

  return (
    <Dialog
      onClose={() => !saving && onClose()}
      title={t("monitorBulk.title", { count })}
      description={t("monitorBulk.text")}
    >
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {error !== null && <Alert kind="error">{error}</Alert>}
        <Field label={t("monitorBulk.interval")} hint={t("monitorBulk.intervalHint")} error={badInterval}>
          {(field) => (
            <Input {...field} data-first-focus value={interval} onChange={({ target }) => setInterval(target.value)} />
          )}
        </Field>
        <Field label={t("monitorBulk.add")} hint={t("monitorBulk.tagsHint")}>
          {(field) => <Input {...field} value={add} onChange={({ target }) => setAdd(target.value)} />}
        </Field>
        <Field label={t("monitorBulk.remove")}>
          {(field) => <Input {...field} value={remove} onChange={({ target }) => setRemove(target.value)} />}
        </Field>
        {offered.length > 1 && (
          <Choices
            title={t("monitorBulk.locations")}
            options={offered.map(({ name }) => ({ id: name, name }))}
            chosen={locations}
            onChange={setLocations}
          />
        )}
        {ids !== null && known.length > 0 && (
          <Choices
            title={t("monitorBulk.channels")}
            options={known}
            chosen={channels}
            onChange={setChannels}
            hint={t("monitorBulk.channelsHint")}
          />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={saving}>
            {t("common.cancel")}
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={!hasChanges && channels.size === 0}
            saving={saving}
            savingLabel={t("common.saving")}
          >
            {t("common.saveChanges")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type ChoicesProps<Id extends string | number> = {
  title: string;
  hint?: string;
  options: readonly { id: Id; name: string }[];
  chosen: ReadonlySet<Id>;
  onChange: (chosen: ReadonlySet<Id>) => void;
};

function Choices<Id extends string | number>({ title, hint, options, chosen, onChange }: ChoicesProps<Id>) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-[13px] font-medium">{title}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        {options.map(({ id, name }) => (
          <Checkbox key={id} label={name} checked={chosen.has(id)} onChange={() => onChange(toggled(chosen, id))} />
        ))}
      </div>
      {hint !== undefined && <p className="text-[13px] text-faint">{hint}</p>}
    </fieldset>
  );
}

/** Sets the channels of each monitor and keeps its other settings. Resolves to failures and undo calls. */
function useSaveChannels(monitors: readonly Monitor[]) {
  const { data: settings } = useSettingsInForceQuery();
  const [save] = useSaveMonitorSettingsMutation();
  const [reset] = useResetMonitorSettingsMutation();
  return async (ids: readonly number[], channels: number[]) => {
    const failures: BulkFailure[] = [];
    const undos: UndoCall[] = [];
    await inParallel(ids, async (id) => {
      const fail = (error?: unknown) => {
        const name = monitors.find((monitor) => monitor.id === id)?.name;
        failures.push({ name, message: errorText(error, "saveSettings") });
      };
      if (settings === undefined) return fail();
      const own: MonitorSettings | undefined = settings.monitors[id];
      const changed = { ...(own ?? settings.globalMonitor), rules: undefined, channels };
      const { error } = await save({ id, settings: changed });
      if (error !== undefined) return fail(error);
      undos.push(() => (own === undefined ? reset(id) : save({ id, settings: own })));
    });
    return { failures, undos };
  };
}
