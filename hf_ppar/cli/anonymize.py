"""`hf-ppar anonymize`: videos in, anonymized videos out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from tqdm import tqdm

from .errors import FAILED, USAGE, complain, exit_on_error

if TYPE_CHECKING:
    from ..models import AnonymizerModel
    from ..receipt import Receipt
    from ..streaming import AnonymizeOptions

_MARK = "_anonymized"


def anonymize(
    videos: list[str] = typer.Argument(help="Video files, http(s) addresses, or folders of videos."),
    output: Path | None = typer.Option(
        None, "-o", "--output", help="File to write, or folder when there are several videos. [default: beside each]"
    ),
    model: str = typer.Option("blur-strong", help="Built-in name, directory or Hub id of an anonymizer."),
    strength: float | None = typer.Option(None, help="0 to 1, 1 is most private. [default: the model's own]"),
    size: int | None = typer.Option(None, help="Short side of the output in pixels. [default: the source's]"),
    quality: int | None = typer.Option(None, help="Constant rate factor, 0 (best) to 51 (smallest). [default: 20]"),
    codec: str | None = typer.Option(None, help="Encoder, such as libx264 or libx265. [default: H.264]"),
    keep_audio: bool = typer.Option(False, "--keep-audio", help="Keep the sound; voices identify people."),
    keep_metadata: bool = typer.Option(False, "--keep-metadata", help="Keep metadata and chapters."),
    fixed_length: float | None = typer.Option(
        None, "--fixed-length", help="Seconds that every result lasts: longer ones are cut, shorter ones stand still."
    ),
    device: str = typer.Option("auto", help="cpu, cuda, cuda:1, mps or auto."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace existing files."),
    preview: int = typer.Option(0, help="Also write a PNG of this many frames before/after. It shows raw frames."),
    receipt: bool = typer.Option(False, "--receipt", help="Also write a JSON account of what was done."),
    progress: bool = typer.Option(True, "--progress/--no-progress", help="Show a progress bar."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Write an anonymized copy of each video; sound and metadata are dropped unless kept."""
    with exit_on_error(USAGE, debug):
        sources, failed = expand_videos(videos)
        targets = _targets(sources, output)
        from ..public import AnonymizeOptions, WriteOptions, load_anonymizer

        write = WriteOptions(codec, quality, overwrite)
        options = AnonymizeOptions(strength, size, keep_audio, keep_metadata, fixed_length, write)
        anonymizer = load_anonymizer(model, device=choose_device(device))
        anonymizer.config.resolve_strength(strength)
    typer.echo(f"model {model} on {anonymizer.device}", err=True)
    for source, target in zip(sources, targets, strict=True):
        try:
            with exit_on_error(FAILED, debug):
                done = _anonymize_one(source, target, anonymizer, options, progress)
                if receipt:
                    done.write(target.with_name(f"{target.stem}_receipt.json"))
                if preview:
                    _write_preview(source, target, preview, anonymizer, strength)
        except typer.Exit as stop:
            if stop.exit_code != FAILED:
                raise
            failed += 1
    if failed:
        raise typer.Exit(FAILED)


def expand_videos(videos: list[str]) -> tuple[list[str], int]:
    """Files to do, folders opened, and how many arguments led to none."""
    from ..video import VIDEO_SUFFIXES

    sources: list[str] = []
    empty = 0
    for video in videos:
        if not Path(video).is_dir():
            sources.append(video)
            continue
        found = sorted(path for path in Path(video).iterdir() if path.suffix.lower() in VIDEO_SUFFIXES)
        found = [path for path in found if not path.stem.endswith(_MARK) and not path.name.startswith(".")]
        if not found:
            complain(f"the folder {video} holds no videos ({', '.join(sorted(VIDEO_SUFFIXES))})")
            empty += 1
        sources += [str(path) for path in found]
    return sources, empty


def _targets(sources: list[str], output: Path | None) -> list[Path]:
    """Where each result goes; two videos may not end up under one name."""
    if output is not None and len(sources) <= 1 and output.suffix and not output.is_dir():
        return [output for _ in sources]
    if output is not None:
        if output.is_file():
            raise ValueError(f"--output {output} is a file, but there are {len(sources)} videos; give a folder")
        output.mkdir(parents=True, exist_ok=True)
    targets = [_folder(source, output) / f"{Path(source).stem}{_MARK}.mp4" for source in sources]
    clashes = sorted({str(target) for target in targets if targets.count(target) > 1})
    if clashes:
        raise ValueError(f"several videos would be written to {', '.join(clashes)}; anonymize them one by one with -o")
    return targets


def _folder(source: str, output: Path | None) -> Path:
    if output is not None:
        return output
    return Path() if "://" in source else Path(source).parent


def choose_device(device: str) -> str:
    """The device of that name, if it works here; "auto" is the best one."""
    import torch

    if device != "auto":
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"--device {device} cannot be used here; try cpu or auto") from error
        return device
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _anonymize_one(
    source: str, target: Path, anonymizer: AnonymizerModel, options: AnonymizeOptions, progress: bool
) -> Receipt:
    from ..public import anonymize_video

    with tqdm(desc=Path(source).name, unit="frame", disable=None if progress else True, leave=False) as bar:

        def show(done: int, total: int | None) -> None:
            bar.total = max(total or 0, done) or None
            bar.update(done - bar.n)

        done = anonymize_video(source, target, anonymizer, options, progress=show)
    dropped = f"dropped {', '.join(done.dropped)}" if done.dropped else "nothing to drop"
    typer.echo(f"{target}: {done.frames} frames, {done.frames_per_second:.1f} frames/s, {dropped}", err=True)
    return done


def _write_preview(source: str, target: Path, count: int, anonymizer: AnonymizerModel, strength: float | None) -> None:
    from ..preview import write_preview

    picture = target.with_name(f"{target.stem}_preview.png")
    write_preview(source, target, picture, count, anonymizer, strength)
    typer.echo(f"{picture}: shows raw frames, do not share it", err=True)
