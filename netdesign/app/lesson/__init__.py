"""What lessons share: a guess before the plot, checked exercises, and a page around them."""

from netdesign.app.lesson.answers import Exercise, Mistake, Verdict, judge, read_number
from netdesign.app.lesson.exercise import ExerciseBox
from netdesign.app.lesson.page import LessonPage
from netdesign.app.lesson.prediction import Prediction
from netdesign.app.lesson.spoken_slider import SpokenSlider

__all__ = [
    "Exercise",
    "ExerciseBox",
    "LessonPage",
    "Mistake",
    "Prediction",
    "SpokenSlider",
    "Verdict",
    "judge",
    "read_number",
]
