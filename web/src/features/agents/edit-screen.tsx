import { ownAddress } from "../../lib/base-path.ts";
import { type Agent, agentName } from "@sonde/proto/http/agents/agents";
import { dependsOn } from "@sonde/proto/http/monitors/targets";
import { tags } from "@sonde/proto/http/tags";
import { useState } from "react";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";
import * as z from "zod";
import { useConfigQuery } from "../../app/config.ts";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { FormMessages, useSaveForm } from "../../app/forms/save-form.tsx";
import { isId, isMissing, Loaded, Missing } from "../../app/screen.tsx";
import { TargetPicker } from "../../entities/targets/target-picker.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { readTags } from "../../lib/typed.ts";
import { schemaErrors } from "../../lib/form-errors.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { RefreshIcon, ServerIcon } from "../../ui/icons.tsx";
import { Input } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { type TokenAnswer, useAgentQuery, useCreateTokenMutation, useUpdateAgentMutation } from "./api.ts";
import { ConnectionView, InstallCard } from "./install/install-card.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const query = useAgentQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const missing = isMissing(id, query.error);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("agentEdit.title")} description={missing ? undefined : query.data?.agent.hostname} />
      {missing ? (
        <Missing icon={<ServerIcon />} title={t("errors.agentMissing")} back={t("agent.back")} backTo={paths.agents} />
      ) : (
        <Loaded query={query} fallback="fetchAgents" placeholder={<Skeleton className="h-48 w-full" />}>
          {({ agent }) => (
            <div className="flex flex-col gap-4">
              <EditForm key={id} agent={agent} />
              <RegisterAgain key={`again ${id}`} agent={agent} />
            </div>
          )}
        </Loaded>
      )}
    </div>
  );
}

// Tags are typed as one text but validated as a list.
const values = z.object({
  name: agentName,
  tags: z.string().transform(readTags).pipe(tags),
  dependsOn,
});

function EditForm({ agent: { id, name, tags: before, dependsOn: parents } }: { agent: Agent }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [update] = useUpdateAgentMutation();
  const saveForm = useSaveForm<z.input<typeof values>>({
    initial: { name, tags: before.join(", "), dependsOn: parents },
    check: (typed) => schemaErrors(values, typed).map((error) => ({ ...error, path: error.path.split(".")[0] ?? "" })),
    fallback: "updateAgent",
    onSave: async (typed) => {
      const changed = {
        ...(dirtyFields.tags !== undefined && { tags: readTags(typed.tags) }),
        ...(dirtyFields.dependsOn !== undefined && { dependsOn: typed.dependsOn }),
      };
      const { message } = await update({ id, input: { name: typed.name.trim(), ...changed } }).unwrap();
      const notice = message ?? t("agentEdit.success");
      return () => void navigate(paths.agent(id), { state: { notice } });
    },
  });
  const { form } = saveForm;
  const { errors, dirtyFields } = form.formState;
  const { field } = useController({ control: form.control, name: "dependsOn" });
  return (
    <form noValidate onSubmit={saveForm.submit}>
      <Card>
        <div className="flex flex-col gap-4">
          <FormMessages of={saveForm} draft="agent" />
          <Field label={t("agentEdit.name")} hint={t("agentEdit.hint")} error={errors.name?.message} required>
            {(ids) => <Input {...ids} {...form.register("name")} autoComplete="off" />}
          </Field>
          <Field label={t("monitor.tags")} hint={t("monitorBulk.tagsHint")} error={errors.tags?.message}>
            {(ids) => <Input {...ids} {...form.register("tags")} autoComplete="off" />}
          </Field>
          <Field label={t("alerting.dependsOn")} hint={t("alerting.dependsOnHint")} error={errors.dependsOn?.message}>
            {(ids) => (
              <TargetPicker
                {...ids}
                ref={field.ref}
                value={field.value}
                onChange={field.onChange}
                self={{ type: "agent", id }}
              />
            )}
          </Field>
          <div className="flex justify-end gap-2">
            <ButtonLink to={paths.agent(id)}>{t("common.cancel")}</ButtonLink>
            <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("common.saving")}>
              {t("common.saveChanges")}
            </Button>
          </div>
        </div>
      </Card>
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </form>
  );
}

/** The new token, and when the agent was last registered before it. A later registration has used it. */
type Issued = { answer: TokenAnswer; registeredBefore: string | undefined };

function RegisterAgain({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data: config } = useConfigQuery();
  const [makeToken] = useCreateTokenMutation();
  const [asking, setAsking] = useState(false);
  const [issued, setIssued] = useState<Issued | null>(null);
  if (!mayChange) return null;
  const { id, name, interval } = agent;
  const settings = {
    server: config?.publicUrl ?? ownAddress,
    intervalSeconds: Math.max(1, Math.round(interval)),
  };
  return (
    <>
      <Card title={t("agentAgain.title")}>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <p className="min-w-0 flex-1 basis-72 text-muted">{t("agentAgain.text")}</p>
          <Button onClick={() => setAsking(true)}>
            <RefreshIcon />
            {t(issued === null ? "agentAgain.start" : "agentGuide.makeAnother")}
          </Button>
        </div>
      </Card>
      {issued !== null && (
        <>
          <InstallCard
            key={issued.answer.token}
            title={t("agentAgain.install")}
            answer={issued.answer}
            settings={settings}
          />
          <Card title={t("agentAgain.state")}>
            <Reconnection id={id} before={issued.registeredBefore} />
          </Card>
        </>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t("agentAgain.askTitle", { name })}
        description={t("agentAgain.askText")}
        confirmLabel={t("agentGuide.makeToken")}
        savingLabel={t("agentGuide.making")}
        onConfirm={async () => {
          const answer = await makeToken({ agentId: id });
          if (answer.error !== undefined) throw new Error(errorText(answer.error, "createToken"));
          setIssued({ answer: answer.data, registeredBefore: agent.registeredAt });
        }}
      />
    </>
  );
}

const pollMs = 3000;

/** Waits until the agent registers with the token, and then for its first report. */
function Reconnection({ id, before }: { id: number; before: string | undefined }) {
  // Polls in case live events do not arrive.
  const { data } = useAgentQuery(id, { pollingInterval: pollMs });
  const { registeredAt, lastSeen, name } = data?.agent ?? {};
  const isRegistered = registeredAt !== undefined && registeredAt !== before;
  const hasReported = isRegistered && lastSeen != null && Date.parse(lastSeen) > Date.parse(registeredAt);
  return (
    <ConnectionView
      registered={isRegistered ? name : undefined}
      connected={hasReported && name !== undefined ? { id, name } : undefined}
    />
  );
}
