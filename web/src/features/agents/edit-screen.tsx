import { type Agent, agentName } from "@sonde/proto/http/agents/agents";
import { dependsOn } from "@sonde/proto/http/monitors/targets";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { z } from "zod";
import { paths } from "../../app/paths.ts";
import { FormMessages, oneOfFields, useSaveForm } from "../../app/save-form.tsx";
import { isId, isMissing, Loaded } from "../../app/screen.tsx";
import { TargetPicker } from "../../app/targets/target-picker.tsx";
import { UnsavedGuard } from "../../app/unsaved-guard.tsx";
import { MissingAgent } from "./agent-actions.tsx";
import { useAgentQuery, useUpdateAgentMutation } from "./api.ts";
import { RegisterAgain } from "./install/register-again.tsx";
import { faultsIn } from "../../lib/form-faults.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const query = useAgentQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const missing = isMissing(id, query.error);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("agentEdit.title")} description={missing ? undefined : query.data?.agent.hostname} />
      {missing ? (
        <MissingAgent />
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

const values = z.object({ name: agentName, dependsOn });

function EditForm({ agent: { id, name, dependsOn: parents } }: { agent: Agent }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [update] = useUpdateAgentMutation();
  const saveForm = useSaveForm<z.infer<typeof values>>({
    initial: { name, dependsOn: parents },
    check: (typed) => faultsIn(values, typed),
    fieldOf: oneOfFields("name", "dependsOn"),
    fallback: "updateAgent",
    onSave: async (typed) => {
      const changed = dirtyFields.dependsOn === undefined ? {} : { dependsOn: typed.dependsOn };
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
            <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("agentEdit.saving")}>
              {t("agentEdit.submit")}
            </Button>
          </div>
        </div>
      </Card>
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </form>
  );
}
