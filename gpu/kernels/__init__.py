"""The CUDA kernels of all stages and the functions that launch them.

Related stages share a file; each ``.cu`` file contains one algorithm.
"""

from wheatstone.gpu.stage import modules_by_stage

MODULES = modules_by_stage(
    __name__,
    {
        "image_filters": "invert mean_filter gaussian_filter intensity_normalization",
        "packed_filters": "packed_gaussian packed_narrow_gaussian packed_mean",
        "gradient": "non_maximum_suppression",
        "edges": "manual_thresholds automatic_thresholds edge_seeds hysteresis",
        "packed_edges": "packed_seeds packed_tiles packed_seams packed_hysteresis packed_strength",
        "correlation": "template_statistics find_peaks",
        "packed_correlation": "packed_peaks",
        "matching_cost": "census_transform horizontal_gradient",
        "path_aggregation": "path_sweep path_sum sparse_aggregation",
        "search_range": "searched_blocks searched_count",
        "disparity": "winner_takes_all right_winner_takes_all subpixel_refinement median_filter "
        "uniqueness_check consistency_check outside_mask winner_margin confidence_measure "
        "rejection_reason outside_reason depth speckle_filter hole_filling guided_median "
        "decimation temporal_filter",
        "packed_matching": "packed_words",
        "packed_aggregation": "packed_sweep packed_leaned",
        "packed_winner": "packed_checks packed_confidence packed_reason",
        "sparse_search": "packed_search sparse_tiles sparse_matching sparse_lines sparse_paths "
        "sparse_winner",
        "input_views": "colour_conversion grey_conversion rectify rectify_colours",
    },
)
