/** The filters above the table; the address holds their values. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { searchParams, setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { SelectField, TextField } from "../../design/field";

export type Filter = Schemas["ListExecutions"];
const STATUSES = ["InProgress", "Completed", "Enqueued", "Failed", "Paused"] as const;
const FOLDED_FILTERS = ["status", "workflow", "tag", "from", "to", "tests"] as const;
const DEBOUNCE_MS = 250;

/** The list request for the filters in an address. */
export function readFilters(address: URLSearchParams): Filter {
  const status = STATUSES.find((one) => one === address.get("status"));
  const tests = address.get("tests");
  return {
    ...(status ? { status } : {}),
    ...(address.get("workflow") ? { workflowId: address.get("workflow")! } : {}),
    ...(address.get("tag") ? { tagFilters: [address.get("tag")!] } : {}),
    ...timeFilter("fromTs", address.get("from")),
    ...timeFilter("toTs", address.get("to")),
    ...(address.get("search")
      ? {
          search: address
            .get("search")!
            .split(",")
            .map((one) => one.trim())
            .filter(Boolean),
        }
      : {}),
    ...(tests ? { isTest: tests === "only" } : {}),
  };
}

/** A time filter from the address, read in the local time zone; none if the text is not a time. */
function timeFilter(field: "fromTs" | "toTs", text: string | null): Partial<Filter> {
  const time = new Date(text ?? "");
  return Number.isNaN(time.getTime()) ? {} : { [field]: time.toISOString() };
}

export function Filters() {
  const workflows =
    useQuery("workflows", () => call("/workflows/list", { limit: 1000 }), { nouns: ["workflow"] }).value?.workflows ??
    [];
  const tags = useQuery("tags", () => call("/tags/list", {}), { nouns: ["workflow"] }).value?.tags ?? [];
  const valueOf = (name: string) => searchParams.value.get(name) ?? "";
  const count = FOLDED_FILTERS.filter((name) => valueOf(name) !== "").length;
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div class={isOpen ? "filters foldable open" : "filters foldable"} role="search" aria-label="Filter executions">
      <Search />
      <div class="filters-fold">
        <Button expanded={isOpen} icon={isOpen ? "up" : "down"} onPress={() => setOpen(!isOpen)}>
          {count > 0 ? `Filters (${count})` : "Filters"}
        </Button>
      </div>
      <SelectField
        label="Status"
        value={valueOf("status")}
        onInput={(status) => setSearchParams({ status })}
        options={[["", "Any"], ...STATUSES.map((one) => [one, one === "InProgress" ? "In progress" : one] as const)]}
      />
      <SelectField
        label="Workflow"
        value={valueOf("workflow")}
        onInput={(workflow) => setSearchParams({ workflow })}
        options={[["", "Any"], ...workflows.map((one) => [one.id, one.name] as const)]}
      />
      <SelectField
        label="Tag"
        value={valueOf("tag")}
        onInput={(tag) => setSearchParams({ tag })}
        options={[["", "Any"], ...tags.map((one) => [one.id, one.name] as const)]}
      />
      <TextField
        label="From"
        type="datetime-local"
        value={valueOf("from")}
        onInput={(from) => setSearchParams({ from })}
      />
      <TextField label="To" type="datetime-local" value={valueOf("to")} onInput={(to) => setSearchParams({ to })} />
      <SelectField
        label="Tests"
        value={valueOf("tests")}
        onInput={(tests) => setSearchParams({ tests })}
        options={[
          ["", "Shown"],
          ["none", "Hidden"],
          ["only", "Only"],
        ]}
      />
    </div>
  );
}

function Search() {
  const addressText = searchParams.value.get("search") ?? "";
  const [text, setText] = useState(addressText);
  const sent = useRef(addressText);
  useEffect(() => {
    if (addressText === sent.current) return;
    sent.current = addressText; // the address changed from outside: back, or a link without filters
    setText(addressText);
  }, [addressText]);
  useEffect(() => {
    const timer = setTimeout(() => {
      sent.current = text;
      if (text !== (searchParams.value.get("search") ?? "")) setSearchParams({ search: text });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div>
      <TextField label="Search" type="search" value={text} onInput={setText} placeholder="Id, name or parameter" />
    </div>
  );
}
