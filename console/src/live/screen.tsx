/** The live picture of a browser: to watch, to control, or to pick an element on. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { errorMessage } from "../api/client";
import { Button } from "../design/button";
import { confirmAction } from "../design/dialog";
import { TextField } from "../design/field";
import { notify } from "../design/notice";
import { TextWithCode } from "../design/text_with_code";
import { LiveConnection, type LiveState } from "./connection";
import { KeyboardForwarder, isTouch } from "./keyboard";
import { PictureView } from "./picture_view";
import { PointerForwarder } from "./pointer";
import { usePointerKeys } from "./pointer_keys";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Pointing {
  /** The element under the pointer; drawn as an outline. */
  readonly box: Box | undefined;
  readonly label: string;
  readonly onMove: (x: number, y: number) => void;
  readonly onPoint: (x: number, y: number) => void;
}

interface Props {
  url: string;
  /** Set while the user picks an element instead of using the page. */
  pointing?: Pointing | undefined;
  actions?: ComponentChildren;
  /** The waiting reason that the surrounding view shows already. */
  shownReason?: string | undefined;
  /** Take control as soon as it is free, and give it back when it is no longer wanted. */
  wantsControl?: boolean;
  /** Fill the window, under the workflow's name. */
  isWholePage?: boolean;
}

export function LiveScreen({ url, pointing, actions, shownReason, wantsControl = false, isWholePage = false }: Props) {
  const connection = useMemo(() => new LiveConnection(url), [url]);
  const view = useMemo(() => new PictureView(), []);
  const keyboard = useMemo(() => new KeyboardForwarder(connection), [connection]);
  const pointer = useMemo(() => new PointerForwarder(connection, view), [connection]);
  const stage = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const hasTaken = useRef(false);
  useEffect(() => () => connection.close(), [connection]);
  useEffect(() => view.attach(stage.current!, picture.current!), [view]);
  useEffect(
    () => keyboard.attach(field.current!, () => stage.current?.closest(".live")?.querySelector("button")?.focus()),
    [keyboard],
  );
  useEffect(() => {
    connection.onPicture = (content) => draw(content, canvas.current!);
  }, [connection]);
  const state = connection.state.value;
  const isDriving = state?.driver === "you";
  const crosshair = usePointerKeys(pointing, state, (x, y, down) => pointer.scroll(x, y, down));
  useEffect(() => {
    if (pointing) canvas.current?.focus(); // so that the arrow keys move the crosshair
  }, [pointing !== undefined, state !== undefined]);
  useEffect(() => {
    if (wantsControl && state?.driver === "nobody") {
      connection.send("take");
      hasTaken.current = true;
    } else if (!wantsControl && hasTaken.current) {
      hasTaken.current = false; // or the Tab key would go on into the page
      if (isDriving) connection.send("give back");
    }
  }, [wantsControl, state?.driver]);
  useEffect(() => {
    if (!isDriving) keyboard.blur();
  }, [isDriving, keyboard]);
  useEffect(() => {
    if (isWholePage && state) document.title = `${state.workflow} – live view`;
  }, [isWholePage, state?.workflow]);
  useEffect(() => {
    // Preact's wheel listeners are passive and could not keep the console itself from scrolling
    const screen = canvas.current;
    const onWheel = (event: WheelEvent) => {
      if (!connection.isDriving) return;
      event.preventDefault();
      pointer.wheel(event);
    };
    screen?.addEventListener("wheel", onWheel, { passive: false });
    return () => screen?.removeEventListener("wheel", onWheel);
  }, [connection, pointer]);

  const send = (type: string, more: object = {}) => {
    connection.send(type, more);
    keyboard.focus();
  };
  const onDown = (event: PointerEvent) => {
    if (!state) return;
    if (pointing) {
      const { x, y } = view.pointOf(event, state);
      return pointing.onPoint(x, y);
    }
    canvas.current?.setPointerCapture(event.pointerId);
    pointer.down(event);
    if (!isDriving) return;
    event.preventDefault(); // the canvas would take the focus from the field
    keyboard.focus();
  };
  const onMove = (event: PointerEvent) => {
    if (!state || !pointing) return pointer.move(event);
    const { x, y } = view.pointOf(event, state);
    pointing.onMove(x, y);
  };
  const reason = state?.waitsFor || (state?.driver === "nobody" ? state.heldFor : "");
  return (
    <section class={isWholePage ? "live whole-page" : "live"} role="region" aria-label="Live view">
      {isWholePage && <h1 class="clip">{state?.workflow ?? "Live view"}</h1>}
      <div class="live-bar">
        <ControlButton state={state} send={send} />
        {isDriving && <Button kind="quiet" icon="undo" label="Back" onPress={() => send("back")} />}
        {isDriving && <Button kind="quiet" icon="retry" label="Reload the page" onPress={() => send("reload")} />}
        <span class="live-status small muted clip" role="status">
          {statusOf(state, connection.message.value)}
        </span>
        <Button
          kind="quiet"
          icon="search"
          label={view.isZoomed.value ? "Zoom out" : "Zoom in"}
          onPress={() => pointer.zoom()}
        />
        <FullScreenButton stage={stage} />
        {isDriving && isTouch && (
          // without a default action, the field keeps the focus and the keyboard can be closed
          <span onPointerDown={(event) => event.preventDefault()}>
            <Button
              kind="quiet"
              icon="keyboard"
              label="Keyboard"
              pressed={keyboard.isFocused.value}
              onPress={() => keyboard.toggle()}
            />
          </span>
        )}
        {actions}
      </div>
      {state && (isWholePage || state.tabs.length > 1) && <TabList state={state} send={send} />}
      {reason && reason !== shownReason && (
        <p class="banner">
          <TextWithCode text={reason} />
        </p>
      )}
      {state?.question && (
        <PageDialog key={state.question.id} send={send} question={state.question} isDriving={isDriving} />
      )}
      {state?.chooser && isDriving && (
        <FileChooser
          key={state.chooser.id}
          connection={connection}
          isMultiple={state.chooser.isMultiple}
          onDone={() => keyboard.focus()}
        />
      )}
      <div ref={stage} class={`live-stage${pointing ? " pointing" : ""}${isDriving ? " driven" : ""}`}>
        <div ref={picture} class="live-picture">
          <canvas
            ref={canvas}
            width={1280}
            height={800}
            tabIndex={0}
            role="img"
            aria-label={
              pointing
                ? "The page. Arrow keys move a crosshair, Enter picks the element under it."
                : isDriving
                  ? "The page. Keys go to the page; F6 leaves it."
                  : "The live page"
            }
            onPointerDown={onDown}
            onPointerMove={onMove}
            onPointerUp={(event) => pointing || pointer.up(event)}
            onPointerCancel={(event) => pointer.touchUp(event, true)}
            onContextMenu={(event) => event.preventDefault()}
            onFocus={() => isDriving && !pointing && keyboard.focus()}
            onKeyDown={(event) => crosshair.onKey(event) && event.preventDefault()}
          />
          {pointing && state && (
            <Outline box={pointing.box} label={pointing.label} crosshair={crosshair.at} state={state} />
          )}
        </div>
        <textarea
          ref={field}
          class="live-keys"
          aria-label="What you type here goes to the page; F6 leaves it."
          autocapitalize="off"
          autocomplete="off"
          autocorrect="off"
          spellcheck={false}
          tabIndex={-1}
        />
        {connection.message.value && <p class="live-curtain">{connection.message.value}</p>}
      </div>
    </section>
  );
}

async function draw(content: Blob, canvas: HTMLCanvasElement): Promise<void> {
  const bitmap = await createImageBitmap(content);
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height)
    Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
  canvas.getContext("2d", { alpha: false })?.drawImage(bitmap, 0, 0);
  bitmap.close();
}

function statusOf(state: LiveState | undefined, message: string): string {
  if (!state) return message;
  if (state.driver === "you")
    return state.heldFor
      ? "You are in control; the run is paused"
      : "You are in control; the run pauses after this step";
  if (state.driver === "other") return "Somebody else is in control";
  return state.heldFor ? "Paused" : "Watching";
}

/** Shows the whole live view on the full screen; Escape leaves it. */
function FullScreenButton({ stage }: { stage: RefObject<HTMLElement | null> }) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const onChange = () => setFull(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", onChange);
    return () => document.removeEventListener("fullscreenchange", onChange);
  }, []);
  if (!document.fullscreenEnabled) return null;
  return (
    <Button
      kind="quiet"
      icon="full"
      label={isFull ? "Leave full screen" : "Full screen"}
      onPress={() => (isFull ? document.exitFullscreen() : stage.current?.closest(".live")?.requestFullscreen())}
    />
  );
}

type Send = (type: string, more?: object) => void;

function ControlButton({ state, send }: { state: LiveState | undefined; send: Send }) {
  if (!state?.mayDrive) return null;
  const takeOver = async () => {
    const isSure = await confirmAction(
      "Somebody else is in control",
      "If you take over, they can only watch.",
      "Take over",
    );
    if (isSure) send("take", { takeover: true });
  };
  if (state.driver === "you")
    return <Button onPress={() => send("give back")}>{state.waitsFor ? "Done, give back" : "Give back"}</Button>;
  if (state.driver === "other") return <Button onPress={takeOver}>Take over…</Button>;
  return (
    <Button kind="primary" onPress={() => send("take")}>
      Take control
    </Button>
  );
}

function TabList({ state, send }: { state: LiveState; send: Send }) {
  return (
    <div class="live-tabs" role="tablist" aria-label="Tabs of the browser">
      {state.tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          class="button quiet"
          role="tab"
          aria-selected={tab.isCurrent}
          disabled={state.driver !== "you"}
          onClick={() => send("tab", { id: tab.id })}
        >
          <span class="clip">{tab.title || tab.site || "New tab"}</span>
          {tab.title && <span class="small muted clip">{tab.site}</span>}
        </button>
      ))}
    </div>
  );
}

/** The outline of an element and the crosshair, in CSS pixels of the page. */
function Outline({
  box,
  label,
  crosshair,
  state,
}: {
  box: Box | undefined;
  label: string;
  crosshair: { x: number; y: number } | undefined;
  state: LiveState;
}) {
  return (
    <svg class="live-outline" viewBox={`0 0 ${state.width} ${state.height}`} aria-hidden="true">
      {box && (
        <>
          <rect x={box.x} y={box.y} width={box.width} height={box.height} />
          <text x={box.x + 4} y={Math.max(18, box.y - 6)}>
            {label}
          </text>
        </>
      )}
      {crosshair && <path d={`M${crosshair.x - 10} ${crosshair.y}h20M${crosshair.x} ${crosshair.y - 10}v20`} />}
    </svg>
  );
}

function PageDialog({
  send,
  question,
  isDriving,
}: {
  send: Send;
  question: NonNullable<LiveState["question"]>;
  isDriving: boolean;
}) {
  const [text, setText] = useState(question.suggestion);
  const answer = (accept: boolean) =>
    send("answer", { id: question.id, accept, ...(accept && question.kind === "prompt" ? { text } : {}) });
  return (
    <div class="banner" role="alertdialog" aria-label="Dialog of the page">
      <p>{question.message || "Leave this page? Changes may not be saved."}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isDriving) answer(true);
        }}
      >
        {question.kind === "prompt" && <TextField label="Answer" value={text} onInput={setText} autoComplete="off" />}
        <Button type="submit" disabled={!isDriving}>
          OK
        </Button>
        {question.kind !== "alert" && (
          <Button kind="quiet" disabled={!isDriving} onPress={() => answer(false)}>
            Cancel
          </Button>
        )}
      </form>
    </div>
  );
}

function FileChooser({
  connection,
  isMultiple,
  onDone,
}: {
  connection: LiveConnection;
  isMultiple: boolean;
  onDone: () => void;
}) {
  const [sent, setSent] = useState<number>();
  const send = async (files: readonly File[]) => {
    try {
      await connection.sendFiles(files, setSent);
      onDone();
    } catch (error) {
      setSent(undefined);
      notify(errorMessage(error), "bad");
    }
  };
  return (
    <div class="banner" role="group" aria-label="File chooser of the page">
      <label>
        Files for the page, at most 50 MB{" "}
        <input
          type="file"
          multiple={isMultiple}
          disabled={sent !== undefined}
          onChange={(event) => void send([...(event.currentTarget.files ?? [])])}
        />
      </label>
      {sent !== undefined && <progress max={1} value={sent} aria-label="Files sent" />}
      <Button kind="quiet" onPress={() => connection.send("no files")}>
        Choose none
      </Button>
    </div>
  );
}
