import type { Agent } from "@sonde/proto/http/agents";
import { agentName } from "@sonde/proto/http/agents";
import { dependsOn } from "@sonde/proto/http/targets";
import { useEffect, useState } from "react";
import { useController, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { z } from "zod";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { FormDraft } from "../../app/form-draft.tsx";
import { currentLanguage } from "../../app/language.ts";
import { paths } from "../../app/paths.ts";
import { isId, isMissing, Loaded } from "../../app/screen.tsx";
import { TargetPicker } from "../../app/targets/target-picker.tsx";
import { faultsIn, resolveFaults } from "../../lib/form-faults.ts";
import { placeFaults } from "../../lib/server-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { UnsavedGuard } from "../../app/unsaved-guard.tsx";
import { useAgentQuery, useUpdateAgentMutation } from "./api.ts";
import { MissingAgent } from "./missing.tsx";
import { RegisterAgain } from "./register-again.tsx";

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
  const [error, setError] = useState<string | null>(null);
  // Where to go once saved: there is nothing left to lose, so the guard is lifted first.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);
  const form = useForm<z.infer<typeof values>>({
    defaultValues: { name, dependsOn: parents },
    resolver: resolveFaults((typed) => faultsIn(values, typed), currentLanguage),
  });
  const { isDirty, isSubmitting, errors, dirtyFields } = form.formState;
  const { field } = useController({ control: form.control, name: "dependsOn" });
  const submit = form.handleSubmit(async (typed) => {
    setError(null);
    const answer = await update({
      id,
      input: {
        name: typed.name.trim(),
        ...(dirtyFields.dependsOn === undefined ? {} : { dependsOn: typed.dependsOn }),
      },
    });
    if (answer.error !== undefined) {
      const rest = placeFaults(form, ["name", "dependsOn"], fieldErrorsOf(answer.error).map(atField));
      setError([errorText(answer.error, "updateAgent"), ...rest].join(" · "));
      return;
    }
    const notice = answer.data.message ?? t("agentEdit.success");
    setLeave(() => () => void navigate(paths.agent(id), { state: { notice } }));
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card>
        <div className="flex flex-col gap-4">
          <FormDraft name="agent" form={form} unsaved={isDirty && leave === null} />
          {error !== null && <Alert kind="error">{error}</Alert>}
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
            <Button
              type="submit"
              variant="primary"
              saving={isSubmitting || leave !== null}
              savingLabel={t("agentEdit.saving")}
            >
              {t("agentEdit.submit")}
            </Button>
          </div>
        </div>
      </Card>
      <UnsavedGuard unsaved={isDirty && leave === null} />
    </form>
  );
}

/** A fault of one of several (`dependsOn.0`) stands beside the field that holds them all. */
function atField({ path, message }: { path: string; message: string }) {
  return { path: path.split(".")[0] ?? "", message };
}
