"""`hf-ppar demo`: see what it does, offline, on a clip it renders itself."""

from __future__ import annotations

from pathlib import Path

import typer

from .errors import FAILED, exit_on_error


def demo(
    output: Path = typer.Argument(Path("demo"), help="Folder for the results."),
    model: str = typer.Option("blur-strong", help="Built-in name, directory or Hub id of an anonymizer."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Render a short clip of a moving person, anonymize it, and leave the videos and a before/after picture."""
    with exit_on_error(FAILED, debug):
        from ..data.stage import render_clip, sample_spec
        from ..preview import write_preview
        from ..public import AnonymizeOptions, WriteOptions, anonymize_video
        from ..video import write_clip

        output.mkdir(parents=True, exist_ok=True)
        sample, result, picture = (
            output / name for name in ("sample.mp4", "sample_anonymized.mp4", "before_after.png")
        )
        replace = WriteOptions(overwrite=True)
        typer.echo("rendering a person who walks and waves ...")
        clip = render_clip(sample_spec("walk_and_wave_one_hand"), height=360, width=480, frames=75, fps=25)
        write_clip(sample, clip.rgb, clip.fps, replace)
        done = anonymize_video(sample, result, model, AnonymizeOptions(write=replace))
        write_preview(sample, result, picture)
        typer.echo(
            f"{result}: {done.frames} frames with {model}, {done.frames_per_second:.0f} frames/s on {done.device}"
        )
        typer.echo(f"{picture}: the same frames before and after")
