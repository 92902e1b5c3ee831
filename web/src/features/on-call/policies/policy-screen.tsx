import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";
import { statusOf } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { Loaded, Missing } from "../../../app/screen.tsx";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import { useCreatePolicyMutation, usePolicyQuery, useUpdatePolicyMutation } from "../../../entities/on-call/api.ts";
import { BellIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { emptyPolicy, toValues } from "./form-values.ts";
import { PolicyForm } from "./policy-form.tsx";

export default function PolicyScreen() {
  const { id } = useParams();
  return id === undefined ? <Create /> : <Edit key={id} id={Number(id)} />;
}

function Create() {
  const { t } = useTranslation();
  const [create] = useCreatePolicyMutation();
  return (
    <>
      <PageHeader title={t("policies.createTitle")} />
      <PolicyForm
        initial={emptyPolicy}
        lowMonitors={[]}
        labels={{ submit: t("policies.create"), saving: t("policies.creating") }}
        saved={t("policies.created")}
        onSave={(input) => create(input).unwrap()}
      />
    </>
  );
}

function Edit({ id }: { id: number }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const query = usePolicyQuery(id, { refetchOnMountOrArgChange: true });
  const [update] = useUpdatePolicyMutation();
  const policy = query.data?.policy;
  return (
    <>
      <PageHeader title={t(mayChange ? "policies.editTitle" : "policies.viewTitle")} description={policy?.name} />
      {statusOf(query.error) === 404 ? (
        <Missing icon={<BellIcon />} title={t("policies.missing")} back={t("policies.back")} backTo={paths.policies} />
      ) : (
        <Loaded query={{ ...query, data: policy }}>
          {(shown) => (
            <ManagedForm managed={shown.managed} kind="policy">
              <PolicyForm
                initial={toValues(shown)}
                lowMonitors={shown.lowUrgency?.monitors ?? []}
                labels={{ submit: t("common.saveChanges"), saving: t("common.saving") }}
                saved={t("policies.saved")}
                onSave={(input) => update({ id, input: { ...input, lowUrgency: input.lowUrgency ?? null } }).unwrap()}
              />
            </ManagedForm>
          )}
        </Loaded>
      )}
    </>
  );
}
