import { locationInput, type locationTokenAnswer } from "@sonde/proto/http/monitors/runners";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { useLocationsQuery } from "../../app/locations.tsx";
import { onSuccess, post } from "../../app/mutations.ts";
import { schemaErrors } from "../../lib/form-errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/form-field.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";

type Made = AnswerOf<typeof locationTokenAnswer>;
type Values = { name: string };

const { useAddLocationMutation, useAddRunnerMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    addLocation: build.mutation<Made, Values>(post("/locations", "Locations")),
    addRunner: build.mutation<Made, string>({
      query: (name) => ({ url: `/locations/${name}/token`, method: "POST", body: {} }),
      invalidatesTags: onSuccess("Locations"),
    }),
  }),
});
export { useAddRunnerMutation };

/** Asks for the name of a new location. */
export function AddLocationDialog(props: { onClose: () => void; onCreated: (name: string, made: Made) => void }) {
  const { onClose, onCreated } = props;
  const { t } = useTranslation();
  const [add] = useAddLocationMutation();
  const saveForm = useSaveForm<Values>({
    initial: { name: "" },
    check: (values) => schemaErrors(locationInput, { name: values.name.trim() }),
    fallback: "addLocation",
    onSave: async ({ name }) => onCreated(name.trim(), await add({ name: name.trim() }).unwrap()),
  });
  return (
    <Dialog onClose={onClose} title={t("locations.addLocation")}>
      <SaveForm of={saveForm}>
        <p className="text-muted">{t("locations.addLocationText")}</p>
        <TextField<Values> name="name" label={t("settings.location")} hint={t("locations.locationHint")} autoFocus />
        <FormButtons
          of={saveForm}
          submit={t("locations.createToken")}
          saving={t("locations.creatingToken")}
          onCancel={onClose}
        />
      </SaveForm>
    </Dialog>
  );
}

const pollMs = 2_000;

/** Shows the token and the commands once, and waits for the runner. */
export function TokenDialog({ location, made, onClose }: { location: string; made: Made; onClose: () => void }) {
  const { t } = useTranslation();
  const { data } = useLocationsQuery(undefined, { pollingInterval: pollMs });
  const runners = data?.locations.find(({ name }) => name === location)?.remote?.runners ?? [];
  const [former, setFormer] = useState<readonly number[] | null>(null);
  if (former === null && data !== undefined) setFormer(runners.map(({ id }) => id));
  const arrived = runners.find(({ id, connected }) => connected && former?.includes(id) === false);
  const texts = [
    { about: t("locations.dockerCommand"), text: made.commands.docker },
    { about: t("locations.scriptCommand"), text: made.commands.script },
    { about: t("locations.token"), text: made.token },
  ];
  const done = (
    <Button variant="primary" onClick={onClose}>
      {t("common.done")}
    </Button>
  );
  return (
    <Dialog onClose={onClose} title={t("locations.startRunner", { location })} footer={done}>
      <Alert kind="info">
        {t("locations.tokenOnce")} {t("locations.expires")} <Time at={made.expiresAt} relative />
      </Alert>
      {texts.map(({ about, text }) => (
        <div key={about}>
          <div className="flex items-center justify-between gap-2">
            <p className="font-medium">{about}</p>
            <CopyButton text={text} about={about} />
          </div>
          <code className="mt-1 block rounded-md border border-line bg-sunken px-3 py-2 font-mono text-[13px] break-all">
            {text}
          </code>
        </div>
      ))}
      <p role="status" className="flex items-center gap-2 font-medium">
        {arrived === undefined ? <Spinner /> : <CheckIcon className="size-5 text-up-ink" />}
        {arrived === undefined ? t("locations.awaitingRunner") : t("locations.runnerConnected", { name: arrived.name })}
      </p>
    </Dialog>
  );
}
